"""Gates: what stands against going on. They warn and never hold anything back."""
