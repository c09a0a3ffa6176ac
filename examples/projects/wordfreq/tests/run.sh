# Prints a line for each test, as TAP has it; ends with 1 if one fails.
status=0
number=0
check() { # NAME EXPECTED ACTUAL
    number=$((number + 1))
    if [ "$2" = "$3" ]; then echo "ok $number - $1"; else echo "not ok $number - $1"; status=1; fi
}
trap 'rm -f "$file"' EXIT
file=$(mktemp)
printf 'The cat and the dog. THE END' > "$file"
check "counts words whatever their case" "      3 the" "$(./wordfreq 1 "$file")"
check "orders equal counts by name" "      1 and" "$(./wordfreq 2 "$file" | tail -n 1)"
printf '' > "$file"
check "reads an empty file" "" "$(./wordfreq 5 "$file")"
check "counts all words" "40000" "$(./wordfreq 100000 data.txt | awk '{ n += $1 } END { print n }')"
./wordfreq 1 /nowhere 2> /dev/null
check "fails without a file" "1" "$?"
exit $status
