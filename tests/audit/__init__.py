"""Audits: what they say of histories that were recorded, changed, exported, or are no histories at all."""
