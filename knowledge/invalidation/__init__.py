"""From what changed between two trees to what is held about it: small steps that do not know each other, and one orchestrator."""
