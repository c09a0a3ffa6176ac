"""Has programs measured in few rounds, which is enough for a page's commands to do their work.

As a script it is the command ``maxcode``; a notebook runs it when it starts. Plans are changed
before any executor is imported.
"""

from dataclasses import replace

from maxcode.measure import rounds

rounds.SCORE = replace(rounds.SCORE, least=2, most=2)
rounds.CONFIRM = rounds.Plan(least=4, most=4, level=0.9)

if __name__ == "__main__" and "get_ipython" not in globals():
    from maxcode.cli.main import main

    main()
