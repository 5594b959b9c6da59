"""What people see of a command: arguments, progress, tables and plots."""
