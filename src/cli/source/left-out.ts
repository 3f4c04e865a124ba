/**
 * Returns whether a file or folder is never published, by its path relative to the source:
 * `node_modules`, and everything whose name begins with a dot, apart from `.gitbook` and
 * `.gitbook.yaml`.
 */
export const isLeftOut = (path: string): boolean =>
  path
    .split('/')
    .some(
      name =>
        name === 'node_modules' ||
        (name.startsWith('.') && name !== '.gitbook' && name !== '.gitbook.yaml'),
    )
