"""Running a program so that it cannot run for ever, fill the machine, or leave anything behind."""
