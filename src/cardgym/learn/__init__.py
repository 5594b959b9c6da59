"""What deep trainers share: configs, replay, targets, turns to transitions, logging, and states to resume from."""
