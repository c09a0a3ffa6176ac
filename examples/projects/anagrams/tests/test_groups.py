from anagrams import groups, largest


def test_words_with_the_same_letters_are_together():
    assert groups(["listen", "tea", "silent", "eat"]) == [["listen", "silent"], ["tea", "eat"]]


def test_letters_count_as_often_as_they_occur():
    assert groups(["aab", "abb", "baa"]) == [["aab", "baa"], ["abb"]]


def test_no_words_have_no_group():
    assert groups([]) == []
    assert largest([]) == []


def test_the_first_of_equally_large_groups_is_largest():
    assert largest(["a", "no", "on", "tea", "eat"]) == ["no", "on"]
