"""What every game runs on: the contract, the kernel that plays it, its compiler, and the registry of games."""
