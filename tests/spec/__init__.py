"""The formal models, and the runner that compares them with the manifest."""
