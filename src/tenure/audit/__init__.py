"""Judging recorded histories: is this one that the contract allows?"""
