"""The examples in other languages: they build, they keep the contract, they speak the protocol."""
