from anagrams import groups, largest


def words(count):
    """Words of three to six letters, the same ones every time."""
    state, made = 1, []
    for _ in range(count):
        letters = []
        for _ in range(3 + state % 4):
            state = (state * 1103515245 + 12345) % 2**31
            letters.append("aeinrst"[(state >> 16) % 7])
        made.append("".join(letters))
    return made


def test_groups(benchmark):
    assert len(benchmark(groups, words(600))) > 10


def test_largest(benchmark):
    assert len(benchmark(largest, words(300))) > 1
