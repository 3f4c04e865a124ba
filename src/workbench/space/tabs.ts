/** Returns the places of a space, for the tabs of its pages. */
export function tabsOf(
  spaceId: string,
  current: 'pages' | 'changes' | 'history' | 'findings',
): { title: string; to: string; current: boolean }[] {
  const path = `/s/${spaceId}`
  return [
    { title: 'Pages', to: path, current: current === 'pages' },
    { title: 'Change requests', to: `${path}/changes`, current: current === 'changes' },
    { title: 'History', to: `${path}/history`, current: current === 'history' },
    { title: 'Findings', to: `${path}/findings`, current: current === 'findings' },
  ]
}
