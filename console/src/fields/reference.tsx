import { Link } from '@tanstack/react-router'
import { type Source, sourceOf, useName } from './references.ts'

interface ReferenceProps {
  readonly type: string
  readonly id: string
  /** The path of the object that refers to it: what it refers to may belong to the same parent. */
  readonly near?: string
}

/** An object that another one refers to: its name, with a link to it. */
export const Reference = ({ type, id, near = '' }: ReferenceProps) => (
  <NamedLink source={sourceOf(type, near)} id={id} />
)

export function NamedLink({ source, id }: { readonly source: Source | undefined; readonly id: string }) {
  const name = useName(source, id) ?? id
  if (!source?.resource.item) return <span title={id}>{name}</span>
  return (
    <Link to="/$" params={{ _splat: `${source.listPath}/${id}`.slice(1) }} title={id}>
      {name}
    </Link>
  )
}
