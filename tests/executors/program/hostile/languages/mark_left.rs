// status: ok
// Says so where an earlier process was heard of.
fn main() {
    let own = std::env::current_exe().unwrap();
    for folder in ["/tmp", "/dev/shm", "/var/tmp", ".", own.parent().unwrap().to_str().unwrap()] {
        let path = format!("{}/mark", folder);
        if std::fs::metadata(&path).is_ok() {
            println!("seen");
        }
        let _ = std::fs::write(&path, "x");
    }
    println!("7");
}
