# The rules of the admission webhook as far as manifests alone tell them: R1 and R3 on new databases.
package main

import rego.v1

clusters := {name: cluster |
	some document in input
	cluster := document.contents
	cluster.kind == "EngineEnterpriseCluster"
	name := sprintf("%s/%s", [cluster.metadata.namespace, cluster.metadata.name])
}

databases contains database if {
	some document in input
	database := document.contents
	database.kind == "EngineEnterpriseDatabase"
}

versions := {"7.2", "7.4", "8.0", "8.2", "major"}

bundled := {"search", "json", "timeseries", "bf"}

deny contains message if {
	some database in databases
	version := database.spec.engineVersion
	not version in versions
	message := sprintf("%s/%s: Unsupported value: %v", [database.metadata.namespace, database.metadata.name, version])
}

deny contains message if {
	some database in databases
	some module in database.spec.modulesList
	not module.name in bundled
	not module.name in defined(database)
	message := sprintf("%s/%s: Not found: %v", [database.metadata.namespace, database.metadata.name, module.name])
}

defined(database) := {module.name |
	some place in {database.metadata.namespace, "engine"}
	cluster := clusters[sprintf("%s/%s", [place, database.spec.engineEnterpriseCluster.name])]
	some module in cluster.spec.userDefinedModules
}
