"""What command line and report both say of runs: figures in words, facts, documents."""
