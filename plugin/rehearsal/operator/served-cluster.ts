/** An EC whose REST service plays along: its status tells the service's modules and license (S45, S114). */
import { at, list, own, text } from "../../domain/values";
import type { KubeObject } from "../../run/ports";
import type { Act } from "./act";
import { runningTag, setOfCluster } from "./cluster-set";
import { databasesOf } from "./prerequisites";
import type { FieldValue, OwnModule } from "./rest-service";
import { identity, productKinds, type Scene } from "./scene";
import { hashOf, statusWith, writeStatus } from "./writes";

/** Shows the service what is stored, before anybody asks it. */
export function showService(scene: Scene): void {
  const ec = servedCluster(scene);
  if (ec === undefined) return;
  const set = setOfCluster(scene, ec);
  const running = runningTag(set, scene.names);
  scene.rest?.follow({ ec, edbs: databasesOf(scene, ec), running });
}

function servedCluster({ rest, ecs }: Scene): KubeObject | undefined {
  if (rest === undefined) return undefined;
  const [only, ...more] = ecs;
  if (rest.ec === undefined) return more.length === 0 ? only : undefined;
  return ecs.find(({ metadata }) => metadata.name === rest.ec);
}

/** The license and the modules that came over REST are told as soon as they are there. */
export function servedClusterActs(scene: Scene): readonly Act[] {
  const { rest, names, times } = scene;
  const ec = servedCluster(scene);
  if (rest === undefined || ec === undefined) return [];
  const news = [...licenseNews(scene, ec), ...moduleNews(scene, ec, rest.modules)];
  if (news.length === 0) return [];
  const status = statusWith(ec, news);
  const target = {
    resource: productKinds(names).ec,
    object: ec,
    manager: names.operator.deployment,
  };
  return [
    {
      key: `${identity(ec)} rest ${hashOf(news)}`,
      afterMs: times.reactMs,
      run: ({ cluster }) => writeStatus(cluster, target, status),
    },
  ];
}

/** Only what changes between good and not good: the words for "not good" are not published. */
function licenseNews({ rest, names }: Scene, ec: KubeObject): readonly FieldValue[] {
  const path = names.ecFields.licenseState;
  const told = text(at(ec, path));
  if (told === undefined || (told.toLowerCase() === "valid") === rest?.isLicensed) return [];
  return [[path, rest?.isLicensed === true ? "Valid" : "Expired"]];
}

function moduleNews(
  { names }: Scene,
  ec: KubeObject,
  modules: readonly OwnModule[],
): readonly FieldValue[] {
  const { statusModuleName, statusModuleDisplayName } = names.entryFields;
  const told = list(at(ec, names.fields.statusModules));
  const known = new Set(told.map((entry) => own(entry, statusModuleName)));
  const added = modules.filter(({ name }) => !known.has(name));
  if (added.length === 0) return [];
  const entries = [...new Set(added.map(({ name }) => name))].map((name) => {
    const all = added.filter((module) => module.name === name);
    return {
      [statusModuleName]: name,
      [statusModuleDisplayName]: all[0]?.displayName ?? name,
      versions: all.map(({ version }) => version),
    };
  });
  return [[names.fields.statusModules, [...told, ...entries]]];
}
