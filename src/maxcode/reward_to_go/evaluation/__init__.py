"""How good reward-to-go models are, measured on the candidates of finished runs.

:mod:`.judgement` holds estimates beside outcomes; :mod:`.ranking` and :mod:`.calibration` compare
them, and :mod:`.figures` gathers all figures with their intervals.
"""
