// status: wrong_answer
extern "C" fn early() {
    println!("8");
}

#[used]
#[link_section = ".init_array"]
static EARLY: extern "C" fn() = early;

fn main() {
    println!("7");
}
