// status: runtime_error
console.log(7);
process.kill(process.pid, 'SIGKILL');
