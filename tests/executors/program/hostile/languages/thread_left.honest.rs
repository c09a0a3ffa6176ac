// status: ok
fn main() {
    std::thread::spawn(|| loop {});
    println!("7");
}
