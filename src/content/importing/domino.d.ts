// The types of the package declare a module with another name.
declare module '@mixmark-io/domino' {
  export function createDocument(html: string): Document
}
