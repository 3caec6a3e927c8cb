"""The contract, sentence by sentence, on every representation."""
