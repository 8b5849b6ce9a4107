"""What an agent or engineer is shown: MemoryView and ContextPack."""
