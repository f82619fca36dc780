// Formats each file as `terraform fmt` would, and reads it as Terraform does.
const { readFileSync } = require('node:fs');
const { format } = require('@cdktn/hcl-tools');
const { parse } = require('@cdktn/hcl2json');

async function main() {
  const files = JSON.parse(readFileSync(0, 'utf8'));
  const read = {};
  for (const [name, text] of Object.entries(files)) {
    read[name] = { formatted: await format(text), parsed: await parse(name, text) };
  }
  // The formatter keeps the process alive, and what is long is not written at once.
  process.stdout.write(JSON.stringify(read), () => process.exit(0));
}

main();
