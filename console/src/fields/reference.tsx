import { Link } from '@tanstack/react-router'
import { shortId } from './names.ts'
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
  const named = useName(source, id)
  const path = named?.path ?? (source?.resource.item && `${source.listPath}/${id}`)
  const name = named?.name ?? shortId(id)
  if (!path) return <span title={id}>{name}</span>
  return (
    <Link to="/$" params={{ _splat: path.slice(1) }} title={id}>
      {name}
    </Link>
  )
}
