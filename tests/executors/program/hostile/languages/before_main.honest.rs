// status: ok
static TABLE: [u8; 3] = [2, 0, 5];

fn main() {
    println!("{}", TABLE.iter().sum::<u8>());
}
