// status: wrong_answer
process.on('exit', () => console.log(8));
console.log(7);
