import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { rolldown } from 'rolldown'

/**
 * Packages that are loaded when they are first used, and whose installs are many times what is used of them. Each
 * becomes one file of dist/packages/.
 */
export const bundledPackages = [
  '@aws-sdk/client-s3',
  '@aws-sdk/client-sqs',
  '@scalar/fastify-api-reference',
  'stripe',
  '@opentelemetry/exporter-trace-otlp-proto',
  '@opentelemetry/resources',
  '@opentelemetry/sdk-trace',
] as const

/** Puts these packages into dist/, and makes what imports them use that. */
export async function bundle(dist: string): Promise<void> {
  const sources = readdirSync(join(dist, 'server'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.js'))
    .map((name) => join(dist, 'server', name))
  for (const name of bundledPackages) {
    const file = join(dist, 'packages', `${name.replace(/^.*\//, '')}.js`)
    // The modules of a package, where it has them: from CommonJS a bundle has one export with all names in it.
    const resolve = { mainFields: ['module', 'main'] }
    const build = await rolldown({ input: name, platform: 'node', logLevel: 'silent', resolve })
    await build.write({ file, format: 'esm', codeSplitting: false })
    await build.close()
    const call = `import('${name}')`
    const users = sources.filter((source) => readFileSync(source, 'utf8').includes(call))
    if (users.length !== 1) throw new Error(`${users.length} files have ${call} in place of one`)
    for (const user of users) {
      const path = relative(dirname(user), file)
      const text = readFileSync(user, 'utf8').replace(
        call,
        `import('${path.startsWith('.') ? path : `./${path}`}')`,
      )
      writeFileSync(user, text)
    }
  }
}
