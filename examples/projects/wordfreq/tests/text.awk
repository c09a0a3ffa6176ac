# Words of made-up syllables, drawn with a linear congruential generator.
function draw(n) { state = (state * 69069 + 1) % 4294967296; return int(state / 65536) % n }
BEGIN {
    state = 1
    split("ba co du fe gi ho ju ka li mo nu pe ra si to", syllables, " ")
    for (i = 0; i < 40000; i++) {
        word = syllables[1 + draw(15)] syllables[1 + draw(15)]
        if (draw(3)) word = word syllables[1 + draw(13)]
        printf "%s%s", word, (i % 12 == 11) ? ".\n" : " "
    }
}
