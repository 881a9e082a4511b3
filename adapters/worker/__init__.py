"""What every adapter shares: the loop, the runs of the protocol, the data of a case."""
