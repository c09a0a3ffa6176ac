// status: ok
extern "C" {
    fn fork() -> i32;
    fn wait(status: *mut i32) -> i32;
}

fn main() {
    if unsafe { fork() } != 0 {
        let mut status = 0;
        unsafe { wait(&mut status) };
        println!("7");
    }
}
