// status: ok
// Says so where an earlier process was heard of.
fn main() {
    let paths = ["/tmp", "/dev/shm", "/var/tmp", "/run"].map(|one| format!("{}/mark", one));
    for path in &paths {
        if std::fs::metadata(path).is_ok() {
            println!("seen");
        }
    }
    for path in &paths {
        let _ = std::fs::write(path, "x");
    }
    println!("7");
}
