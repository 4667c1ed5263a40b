import packageJson from '../../package.json' with { type: 'json' }
import { usedPackages } from './packages.ts'

/** The list of all components for programs: CycloneDX 1.6. Without a time it changes only with the packages. */
export function sbom(): string {
  const document = {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: {
      component: {
        'bom-ref': `sutler@${packageJson.version}`,
        ...{ type: 'application', name: 'sutler', version: packageJson.version },
        purl: `pkg:npm/sutler@${packageJson.version}`,
      },
    },
    components: usedPackages().map(({ name, version, licence, integrity, isBundled }) => {
      const purl = `pkg:npm/${name.replace('@', '%40')}@${version}`
      const [algorithm = '', value = ''] = integrity.split('-')
      const content = Buffer.from(value, 'base64').toString('hex')
      return {
        'bom-ref': purl,
        ...{ type: 'library', name, version, purl },
        licenses: [{ license: { id: licence } }],
        hashes: [{ alg: algorithm.toUpperCase().replace('SHA', 'SHA-'), content }],
        properties: [{ name: 'sutler:bundled', value: String(isBundled) }],
      }
    }),
  }
  return `${JSON.stringify(document, null, 2)}\n`
}
