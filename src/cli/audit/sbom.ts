/** The software bill of materials of the package (CycloneDX 1.6, ECMA-424). */
import type { PackageFiles } from './package-files.js'

/** Returns a document without a time and a serial number, so that the same package always has the same document. */
export function createSbom({ manifest, files }: PackageFiles): object {
  const { name, version, license, dependencies } = manifest
  const ref = `pkg:npm/${name}@${version}`
  const components = dependencies.map((dependency) => ({
    type: 'library',
    'bom-ref': `pkg:npm/${dependency}`,
    name: dependency,
  }))
  return {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: {
      component: {
        type: 'library',
        'bom-ref': ref,
        name,
        version,
        licenses: [{ license: { id: license } }],
        purl: ref,
        components: files.map(({ path, sha256 }) => ({
          type: 'file',
          name: path,
          hashes: [{ alg: 'SHA-256', content: sha256 }],
        })),
      },
    },
    components,
    dependencies: [{ ref, dependsOn: components.map((component) => component['bom-ref']) }],
  }
}
