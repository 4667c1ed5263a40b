// Completes dist/, after the compiler has written its JavaScript: npm run build.
import { chmodSync, cpSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { bundle } from './build/bundle.ts'
import { checksumsOf } from './build/checksums.ts'

const root = fileURLToPath(new URL('../', import.meta.url))
const dist = join(root, 'dist')

cpSync(join(root, 'server/migrations'), join(dist, 'server/migrations'), { recursive: true })
cpSync(join(root, 'console/dist'), join(dist, 'console/dist'), { recursive: true })
await bundle(dist)
chmodSync(join(dist, 'command/sutler.js'), 0o755)
writeFileSync(join(dist, 'SHA256SUMS'), checksumsOf(dist))
const files = readdirSync(dist, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
const bytes = files.reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0)
process.stdout.write(`dist: ${files.length} files, ${(bytes / 1e6).toFixed(1)} MB\n`)
