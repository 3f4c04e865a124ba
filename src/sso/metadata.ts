import { emailFormat, protocol, type Service } from './saml.ts'

const escaped = (text: string): string =>
  text.replace(/[&<>"]/g, character => `&#${character.charCodeAt(0)};`)

/** Returns the metadata of this service as XML, which the admin of a provider imports. */
export const metadataOf = ({ entityID, acsURL }: Service): string =>
  `<?xml version="1.0" encoding="UTF-8"?>
<EntityDescriptor xmlns="urn:oasis:names:tc:SAML:2.0:metadata" entityID="${escaped(entityID)}">
  <SPSSODescriptor protocolSupportEnumeration="${protocol}" AuthnRequestsSigned="false" WantAssertionsSigned="true">
    <NameIDFormat>${emailFormat}</NameIDFormat>
    <AssertionConsumerService index="0" isDefault="true" Binding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST" Location="${escaped(acsURL)}"/>
  </SPSSODescriptor>
</EntityDescriptor>
`
