// status: ok
fn main() {
    println!("{}", 7 + 0 * include_str!("main.rs").len());
}
