import type { Option } from '../parts/form.tsx'

/** The roles in an organization, as options of a form. */
export const roleOptions: readonly Option[] = [
  { value: 'guest', title: 'Guest: sees what is shared with them' },
  { value: 'read', title: 'Read' },
  { value: 'comment', title: 'Comment: also writes comments' },
  { value: 'edit', title: 'Edit: also opens change requests' },
  { value: 'review', title: 'Review: also approves and merges' },
  { value: 'create', title: 'Create: also creates spaces and sites' },
  { value: 'admin', title: 'Admin: also settings and people' },
]

/** The same in a word each, for the rows of a list. */
export const shortRoleOptions: readonly Option[] = roleOptions.map(({ value, title }) => ({
  value,
  title: title.split(':', 1)[0] ?? value,
}))

/** Returns a role in a word. */
export const roleWord = (role: string | null): string => role ?? 'guest'
