// SPDX-License-Identifier: Apache-2.0
//
// Pins whose definitions of kinds the chart tests apply. Nothing of these modules is compiled, so
// that their own requirements are not listed.
module engine.example/control-plane/definitions

go 1.26.0

require (
	github.com/cert-manager/cert-manager v1.21.2
	github.com/prometheus-operator/prometheus-operator v0.85.0
)
