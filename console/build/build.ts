// Builds the console: npm run build, and the first start of a clone.
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { build } from 'vite'
import { type Node, takeApart } from './document.ts'
import { stampFile, stampOf } from './stamp.mjs'

const root = join(import.meta.dirname, '..')
const dist = join(root, 'dist')
const generated = join(root, 'src/generated')
const startedAt = performance.now()

const stamp = stampOf()
const document: Node = JSON.parse(readFileSync(join(root, '../docs/openapi.json'), 'utf8'))
const { index, fields } = takeApart(document)
rmSync(generated, { recursive: true, force: true })
mkdirSync(join(generated, 'fields'), { recursive: true })
writeFileSync(join(generated, 'index.json'), JSON.stringify(index))
for (const [id, one] of fields) writeFileSync(join(generated, 'fields', `${id}.json`), JSON.stringify(one))

// A test that builds the package has another one, and React would be that of development.
process.env.NODE_ENV = 'production'
await build({ configFile: join(root, 'vite.config.ts'), logLevel: 'warn' })
const files = readdirSync(dist, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map(({ parentPath, name }) => join(parentPath, name))
await Promise.all(files.filter((file) => /\.(js|css|html|svg|json)$/.test(file)).map(compress))
// Last, so that a build that was interrupted is none.
writeFileSync(stampFile, stamp)
const seconds = ((performance.now() - startedAt) / 1000).toFixed(1)
process.stdout.write(`console: ${files.length} files in ${seconds} s\n`)

/** Writes the copies that the server sends to clients that accept them. */
async function compress(file: string): Promise<void> {
  const content = readFileSync(file)
  const [zipped, small] = await Promise.all([
    promisify(gzip)(content, { level: 9 }),
    promisify(brotliCompress)(content, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }),
  ])
  writeFileSync(`${file}.gz`, zipped)
  writeFileSync(`${file}.br`, small)
}
