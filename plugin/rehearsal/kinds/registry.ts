/** What the embedded cluster serves: the built-in kinds, and those that definitions bring. */
import type { KubeObject, Resource } from "../../run/ports";
import type { KindDefinition, Registry } from "../model";
import { admissionKinds } from "./builtin/admission";
import { podKinds } from "./builtin/apps";
import { coreKinds } from "./builtin/core";
import { customResourceDefinition } from "./builtin/crd";
import { defineBuiltIn } from "./builtin/definition";
import { otherKinds } from "./builtin/others";
import { rbacKinds } from "./builtin/rbac";
import { reviewKinds } from "./builtin/reviews";
import { dataKinds } from "./builtin/secret";
import { service } from "./builtin/service";
import { customKinds } from "./custom";

const builtIn: readonly KindDefinition[] = [
  ...coreKinds,
  ...otherKinds,
  ...reviewKinds,
  ...dataKinds,
  service,
  ...podKinds,
  ...rbacKinds,
  ...admissionKinds,
  customResourceDefinition,
].map(defineBuiltIn);

type Index = ReadonlyMap<string, KindDefinition>;

/** Definitions by kind and by plural, kept together. */
interface Indexes {
  readonly kinds: Index;
  readonly plurals: Index;
}

const builtInIndexes = indexesOf(builtIn);

/** A registry that knows the built-in kinds alone. */
export function createRegistry(): Registry {
  return new MemoryRegistry(new Map());
}

class MemoryRegistry implements Registry {
  private indexes: Indexes;

  constructor(private readonly custom: Map<string, readonly KindDefinition[]>) {
    this.indexes = indexesOf([...custom.values()].flat());
  }

  byKind(apiVersion: string, kind: string): KindDefinition | undefined {
    const key = `${apiVersion} ${kind}`;
    return builtInIndexes.kinds.get(key) ?? this.indexes.kinds.get(key);
  }

  byPlural(resource: Pick<Resource, "group" | "version" | "plural">): KindDefinition | undefined {
    const key = pluralKey(resource);
    return builtInIndexes.plurals.get(key) ?? this.indexes.plurals.get(key);
  }

  served(group: string, version: string): readonly KindDefinition[] {
    return [...builtIn, ...this.indexes.kinds.values()].filter(
      ({ resource }) => resource.group === group && resource.version === version,
    );
  }

  define(name: string, definition: KubeObject | undefined): void {
    if (definition === undefined) this.custom.delete(name);
    else this.custom.set(name, customKinds(definition));
    this.indexes = indexesOf([...this.custom.values()].flat());
  }

  fork(): Registry {
    return new MemoryRegistry(new Map(this.custom));
  }
}

function indexesOf(definitions: readonly KindDefinition[]): Indexes {
  return {
    kinds: new Map(
      definitions.map((definition) => {
        const { group, version, kind } = definition.resource;
        return [`${group === "" ? version : `${group}/${version}`} ${kind}`, definition];
      }),
    ),
    plurals: new Map(definitions.map((one) => [pluralKey(one.resource), one])),
  };
}

function pluralKey({ group, version, plural }: Omit<Resource, "kind">): string {
  return `${group}/${version}/${plural}`;
}
