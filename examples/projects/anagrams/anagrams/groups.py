"""Groups of words, found by comparing each with the first of every group."""


def is_anagram(first, second):
    """Whether two words have the same letters, each as often."""
    left = list(second)
    for letter in first:
        if letter not in left:
            return False
        left.remove(letter)
    return not left


def groups(words):
    """Lists of words with the same letters, in the order of their first words."""
    found = []
    for word in words:
        for group in found:
            if is_anagram(group[0], word):
                group.append(word)
                break
        else:
            found.append([word])
    return found


def largest(words):
    """The group with the most words, of those the first."""
    best = []
    for group in groups(words):
        if len(group) > len(best):
            best = group
    return best
