// status: runtime_error
use std::process::Command;

fn main() {
    println!("7");
    Command::new("sleep").arg("9").spawn().unwrap();
}
