/** Returns the path of the change requests of a space, below `/app`. */
export const changesPath = (spaceId: string): string => `/s/${spaceId}/changes`

/** Returns the path of a change request, below `/app`. */
export const requestPath = ({ space_id, number }: { space_id: string; number: number }): string =>
  `${changesPath(space_id)}/${number}`

/** Returns a path with a query of those values that are there. */
export function withQuery(
  path: string,
  values: Readonly<Record<string, string | undefined>>,
): string {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(values)) if (value) query.set(name, value)
  return query.size === 0 ? path : `${path}?${query}`
}
