// biome-ignore lint/suspicious/noExplicitAny: documents are looked into by name.
type Node = any

const isObject = (node: Node) => typeof node === 'object' && node !== null

/** Names that generated code has already: of the language, of browsers, and of TypeScript. */
const globals = new Set([
  ...Object.getOwnPropertyNames(globalThis),
  ...['Comment', 'Document', 'Element', 'Image', 'Node', 'Option', 'Range', 'Selection', 'Text', 'Window'],
  ...['Exclude', 'Extract', 'Omit', 'Partial', 'Pick', 'Readonly', 'Record', 'Required'],
])

/** What is wrong with one node, wherever it is. */
function faultsOf(node: Node, at: string, document: Node): string[] {
  const { $ref, properties, additionalProperties, const: constant, format, pattern } = node
  const faults: string[] = []
  if (typeof $ref === 'string') {
    const [, section = '', name = ''] = /^#\/components\/(\w+)\/([^/]+)$/.exec($ref) ?? []
    if (!document.components[section]?.[name]) faults.push(`${at} refers to ${$ref}, which is no component`)
  }
  if (Object.keys(properties ?? {}).length && additionalProperties) {
    const constants = Object.keys(properties).filter((name) => properties[name].const !== undefined)
    if (constants.length) faults.push(`${at} has the constant ${constants} beside free keys`)
    const types = ['type', '$ref', 'anyOf', 'oneOf', 'allOf', 'enum', 'properties']
    if (types.some((word) => additionalProperties[word] !== undefined))
      faults.push(`${at} has free keys of a type that its members do not have`)
  }
  const form = node['multipart/form-data']?.schema
  if (form?.oneOf || form?.anyOf || form?.allOf) faults.push(`${at} has a form with alternatives`)
  if (constant !== undefined && !constant) faults.push(`${at} has a constant that is read as none`)
  if (format === 'day' && !pattern) faults.push(`${at} has a format that only this server knows`)
  return faults
}

/** What generators of code cannot read in an API document, or make code of that does not compile, a line each. */
export function generatorFaults(document: Node): readonly string[] {
  const visit = (node: Node, at: string): string[] => {
    if (!isObject(node)) return []
    const own = Array.isArray(node) ? [] : faultsOf(node, at, document)
    return [
      ...own,
      ...Object.entries(node).flatMap(([name, member]) =>
        // Values, not schemas.
        /^(example|examples|default|mapping)$/.test(name) ? [] : visit(member, `${at}/${name}`),
      ),
    ]
  }
  const names = Object.keys(document.components.schemas)
  return [
    ...names.filter((name) => globals.has(name)).map((name) => `${name} is the name of a global`),
    ...names.filter((name) => !/^[A-Za-z][\w-]*$/.test(name)).map((name) => `${name} is no name of a file`),
    ...visit({ paths: document.paths, components: document.components }, ''),
  ]
}
