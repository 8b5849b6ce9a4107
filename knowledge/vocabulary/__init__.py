"""The tags of a bank: a policy it may declare, and how tags are read by it. Pure: texts in, texts out."""
