"""What training scripts share: configs, rollouts, opponents, exploration, logging, and states to resume from."""
