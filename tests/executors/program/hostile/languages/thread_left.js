// status: timeout
const { Worker } = require('worker_threads');
console.log(7);
new Worker('while (true);', { eval: true });
