// status: runtime_error
extern "C" {
    fn fork() -> i32;
    fn pause() -> i32;
}

fn main() {
    if unsafe { fork() } == 0 {
        unsafe { pause() };
    } else {
        println!("7");
    }
}
